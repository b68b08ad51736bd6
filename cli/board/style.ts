import { createHash } from "node:crypto";

/** The board's styles for light and dark mode, and for screen and print. */

/** Agents' colours in light and dark mode. Agents may share a colour, so the page always shows their names. */
const COLOURS = [
  ["#2563c4", "#6ea8fe"],
  ["#b45d0b", "#f0a35e"],
  ["#1f7a4d", "#5fc98b"],
  ["#7a4fc0", "#b597f5"],
  ["#0e7490", "#4cc3dd"],
  ["#b8336f", "#f08cb9"],
] as const;

export const COLOUR_COUNT = COLOURS.length;

const colours = (scheme: 0 | 1): string => COLOURS.map((pair, index) => `--agent-${index}: ${pair[scheme]};`).join(" ");

export const STYLE = `
:root { color-scheme: light dark; --ink: #1c2430; --soft: #57606a; --line: #d0d7de; --paper: #ffffff; --ground: #f6f8fa; --track: #e3e8ee; --link: #0a5cb0; --bad: #b42318; --good: #1a7f37; ${colours(0)} }
@media (prefers-color-scheme: dark) {
:root { --ink: #e6edf3; --soft: #9aa7b5; --line: #3d444d; --paper: #161b22; --ground: #0d1117; --track: #2a313a; --link: #6cb1ff; --bad: #ff7b72; --good: #57c06d; ${colours(1)} }
}
body { margin: 0; background: var(--ground); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
main { max-width: 1080px; margin: 0 auto; padding: 24px 20px 60px; }
h1 { font-size: 22px; overflow-wrap: anywhere; }
h2 { font-size: 17px; margin: 34px 0 10px; }
p { margin: 8px 0; }
.line p:first-child { margin-top: 0; }
a { color: var(--link); margin-right: 18px; }
code { font: 13px/1.5 ui-monospace, Menlo, Consolas, monospace; overflow-wrap: anywhere; }
.card { background: var(--paper); border: 1px solid var(--line); border-radius: 8px; padding: 2px 16px 2px 28px; margin: 10px 0; }
.card.alert { padding-left: 16px; border-left: 4px solid var(--bad); }
.row { border-bottom: 1px solid var(--line); padding: 12px 0; }
.row:last-child { border-bottom: 0; }
.line { display: grid; grid-template-columns: minmax(0, 3fr) minmax(0, 5fr) minmax(0, 2fr); gap: 4px 28px; align-items: start; }
.line > * { min-width: 0; overflow-wrap: anywhere; }
summary { cursor: pointer; list-style-position: outside; }
details > summary .count { text-decoration: underline dotted; text-underline-offset: 3px; }
.bar { display: block; width: 100%; height: 12px; margin: 5px 0 4px; border-radius: 3px; overflow: hidden; background: var(--track); }
.bar rect { stroke: var(--paper); stroke-width: 1px; }
.dot { width: 10px; height: 10px; margin-right: 6px; border-radius: 2px; vertical-align: -1px; }
.agent { white-space: nowrap; margin-right: 16px; }
.agent code { white-space: normal; }
${COLOURS.map((_, index) => `.agent-${index} { fill: var(--agent-${index}); }`).join("\n")}
.members { columns: 260px; column-gap: 28px; margin: 10px 0 2px; padding: 0; list-style: none; }
.members li { break-inside: avoid; overflow-wrap: anywhere; }
.soft { color: var(--soft); font-size: 13px; }
.bad { color: var(--bad); }
.good { color: var(--good); }
@media (max-width: 720px) { .line { grid-template-columns: minmax(0, 1fr); } }
@media print {
:root { color-scheme: light; --ink: #000000; --soft: #444444; --line: #bbbbbb; --paper: #ffffff; --ground: #ffffff; --track: #eeeeee; --link: #000000; ${colours(0)} }
body { font-size: 11px; }
main { max-width: none; padding: 0; }
nav { display: none; }
details::details-content { content-visibility: visible; }
.bar, .dot { print-color-adjust: exact; }
.row, .card.alert { break-inside: avoid; }
}
`;

export const STYLE_HASH = createHash("sha256").update(STYLE).digest("base64");
