/** Pages that the server renders itself. */
const entities: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}

export function htmlPage({
  title,
  stylesheet,
  body,
}: {
  title: string;
  stylesheet: string;
  body: string;
}): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="dark light">
<title>${escapeHtml(title)} - Lightkeeper</title>
<link rel="icon" href="/icon.svg">
<link rel="stylesheet" href="${stylesheet}">
</head>
<body><main>${body}</main></body>
</html>
`;
}

export const PAGE_CSS = `:root { color-scheme: dark; --bg: light-dark(#f6f7f9, #0b0f14); --surface: light-dark(#fff, #10151c);
  --line: light-dark(#e1e5eb, #212a35); --text: light-dark(#12171e, #e8ecf2); --muted: light-dark(#566273, #94a1b3);
  --accent: light-dark(#875700, #ffcf5c); }
@media (prefers-color-scheme: light) { :root { color-scheme: light; } }
* { box-sizing: border-box; }
html { font: 14px/1.5 Inter, system-ui, sans-serif; background: var(--bg); color: var(--text); }
body { margin: 0; }
main { max-width: 860px; margin: 0 auto; padding: 32px 20px 80px; }
h1 { font-size: 26px; line-height: 1.25; margin: 0 0 8px; }
.mails h2 { font-size: 16px; margin: 4px 0 8px; }
a { color: var(--accent); overflow-wrap: anywhere; }
.mails { list-style: none; padding: 0; }
.mails > li { background: var(--surface); border: 1px solid var(--line); border-radius: 10px; padding: 14px 18px; margin: 14px 0; }
.muted { color: var(--muted); margin: 0; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
`;
