import { LinkButton } from "../ui/controls/button.tsx";
import { Notice } from "../ui/feedback/notice.tsx";
import { AuthPanel } from "./auth-panel.tsx";

interface LinkFailedProps {
  title?: string;
  message: string;
  action?: { to: string; label: string };
}

const GET_NEW_LINK = { to: "/auth/login", label: "Get a new link" };

export function LinkFailed({ title = "Log in", message, action = GET_NEW_LINK }: LinkFailedProps) {
  return (
    <AuthPanel title={title} announced>
      <Notice tone="danger">{message}</Notice>
      <LinkButton to={action.to} variant="primary" size="large" wide>
        {action.label}
      </LinkButton>
    </AuthPanel>
  );
}
