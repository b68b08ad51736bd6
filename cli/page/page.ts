import { createHash } from "node:crypto";
import { type Html, html } from "./html";
import { STYLE } from "./style";

/** A page of one file. Its policy forbids every request, and every style and script that was not written here. */

interface Page {
  readonly title: string;
  readonly body: Html;
  /** Rules of this page alone. */
  readonly style?: string;
  /** The page can be read without it. */
  readonly script?: string;
}

const sourceOf = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

/** Neither may hold a text of inputs: both are written as they are. */
const raw = (text: string): Html => ({ html: text });

export function pageText({ title, body, style = "", script }: Page): string {
  const styles = `${STYLE}${style}`;
  const policy = [
    "default-src 'none'",
    `style-src ${sourceOf(styles)}`,
    ...(script === undefined ? [] : [`script-src ${sourceOf(script)}`]),
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8"/>
<meta http-equiv="Content-Security-Policy" content="${raw(policy)}"/>
<meta name="viewport" content="width=device-width, initial-scale=1"/>
<meta name="referrer" content="no-referrer"/>
<title>${title}</title>
<style>${raw(styles)}</style>
</head>
<body>
${body}
${script !== undefined && html`<script>${raw(script)}</script>`}
</body>
</html>
`.html;
}
