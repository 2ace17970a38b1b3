import type { Message } from "../../infrastructure/mail/mailer.ts";

const texts = {
  signIn: {
    subject: "Your login link for Lightkeeper",
    lead: "Use this link to log in to Lightkeeper.",
    action: "Log in",
  },
  signUp: {
    subject: "Confirm your email address for Lightkeeper",
    lead: "Use this link to confirm your email address and set up your Lightkeeper account.",
    action: "Confirm and continue",
  },
} as const;

const FOOT =
  "This link expires in 15 minutes and can be used once. If you didn’t request it, ignore this email.";

export function magicLinkMail({
  to,
  purpose,
  link,
}: {
  to: string;
  purpose: keyof typeof texts;
  link: string;
}): Message {
  const { subject, lead, action } = texts[purpose];
  return {
    to,
    subject,
    text: `${lead}\n\n${link}\n\n${FOOT}\n`,
    html: `<!doctype html><html lang="en"><body style="font-family:system-ui,sans-serif;line-height:1.5;color:#12171e">
<p>${lead}</p>
<p><a href="${link}" style="display:inline-block;padding:10px 16px;border-radius:6px;background:#ffc53d;color:#1c1503;font-weight:600;text-decoration:none">${action}</a></p>
<p style="color:#566273;font-size:13px">${FOOT}<br>If the button doesn’t work, copy this address into your browser:<br>${link}</p>
</body></html>`,
  };
}
