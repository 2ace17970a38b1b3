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

export function htmlPage({ title, body }: { title: string; body: string }): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="dark light">
<title>${escapeHtml(title)} - Lightkeeper</title>
<link rel="icon" href="/icon.svg">
<link rel="stylesheet" href="/docs/page.css">
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
h2 { font-size: 21px; margin: 32px 0 8px; }
h3, .mails h2 { font-size: 16px; margin: 4px 0 8px; }
h4 { font-size: 13px; margin: 16px 0 4px; color: var(--muted); }
summary { font-size: 13px; font-weight: 600; color: var(--muted); margin-top: 16px; cursor: pointer; }
a { color: var(--accent); overflow-wrap: anywhere; }
code, pre { font: 12.5px/1.5 ui-monospace, "SF Mono", Menlo, Consolas, monospace; }
pre { background: var(--surface); border: 1px solid var(--line); border-radius: 6px; padding: 10px 12px; overflow-x: auto; }
section, .mails > li { background: var(--surface); border: 1px solid var(--line); border-radius: 10px; padding: 14px 18px; margin: 14px 0; }
.mails { list-style: none; padding: 0; }
.muted { color: var(--muted); margin: 0; }
.method { font-weight: 650; color: var(--accent); }
nav > ul { columns: 2 320px; padding: 0; list-style: none; }
nav > ul > li { break-inside: avoid; margin-bottom: 12px; }
nav ul ul { padding-left: 0; list-style: none; font-size: 13px; }
table { border-collapse: collapse; width: 100%; font-size: 13px; table-layout: fixed; }
td { text-align: left; vertical-align: top; padding: 4px 12px 4px 0; border-top: 1px solid var(--line); overflow-wrap: anywhere; }
details td:first-child { width: 64px; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
`;
