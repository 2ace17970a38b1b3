export const INVITATION_ONLY =
  "Sign-up is by invitation here. Ask someone who administers this Lightkeeper to invite you.";
