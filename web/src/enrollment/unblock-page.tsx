import { EnrollmentPage } from "./enrollment-page.tsx";

export const UnblockPage = () => <EnrollmentPage verb="unblock" />;
