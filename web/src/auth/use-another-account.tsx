import { useState } from "react";
import { useNavigate } from "react-router";
import { signOut } from "../lib/session.ts";
import { Button } from "../ui/controls/button.tsx";

export function UseAnotherAccount() {
  const navigate = useNavigate();
  const [isLoggingOut, setLoggingOut] = useState(false);
  async function logOut() {
    setLoggingOut(true);
    await signOut();
    await navigate("/auth/login", { replace: true });
  }
  return (
    <Button variant="quiet" pending={isLoggingOut} onClick={() => void logOut()}>
      Use another account
    </Button>
  );
}
