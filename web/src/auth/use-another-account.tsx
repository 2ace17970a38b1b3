import { useState } from "react";
import { useNavigate } from "react-router";
import { signOut } from "../lib/session.ts";
import { Button } from "../ui/controls/button.tsx";

export function UseAnotherAccount() {
  const navigate = useNavigate();
  const [leaving, setLeaving] = useState(false);
  async function leave() {
    setLeaving(true);
    await signOut();
    await navigate("/auth/login", { replace: true });
  }
  return (
    <Button variant="quiet" pending={leaving} onClick={() => void leave()}>
      Use another account
    </Button>
  );
}
