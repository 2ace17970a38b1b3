import { EnrollmentPage } from "./enrollment-page.tsx";

export const EnrollPage = () => <EnrollmentPage verb="enroll" />;
