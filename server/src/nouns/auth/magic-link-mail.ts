import type { Message } from "../../infrastructure/mail/mailer.ts";

const words = {
  signIn: {
    subject: "Your sign-in link for Lightkeeper",
    lead: "Use this link to sign in to Lightkeeper.",
    action: "Sign in",
  },
  signUp: {
    subject: "Confirm your e-mail address for Lightkeeper",
    lead: "Use this link to confirm your e-mail address and set up your Lightkeeper account.",
    action: "Confirm and continue",
  },
} as const;

const FOOT = "It works once and for 15 minutes. If you did not ask for it, you can ignore this mail.";

export function magicLinkMail({
  to,
  purpose,
  link,
}: {
  to: string;
  purpose: keyof typeof words;
  link: string;
}): Message {
  const { subject, lead, action } = words[purpose];
  return {
    to,
    subject,
    text: `${lead}\n\n${link}\n\n${FOOT}\n`,
    html: `<!doctype html><html lang="en"><body style="font-family:system-ui,sans-serif;line-height:1.5;color:#12171e">
<p>${lead}</p>
<p><a href="${link}" style="display:inline-block;padding:10px 16px;border-radius:6px;background:#ffc53d;color:#1c1503;font-weight:600;text-decoration:none">${action}</a></p>
<p style="color:#566273;font-size:13px">${FOOT}<br>If the button does not work, copy this address into your browser:<br>${link}</p>
</body></html>`,
  };
}
