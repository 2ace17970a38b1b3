export const INVITATION_ONLY =
  "You need an invitation to sign up here. Ask an administrator of this server to invite you.";
