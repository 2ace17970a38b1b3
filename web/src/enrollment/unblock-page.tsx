import { EnrollmentPage } from "./enrollment-page.tsx";

export const Component = () => <EnrollmentPage verb="unblock" />;
