/** The frame of a picture in the documentation, for light and dark pages. It loads no fonts and no other pictures. */

export const MONO = 'ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace';

/** The colours of every picture. */
const COLOURS = `
svg { color-scheme: light dark; }
text { font-family: -apple-system, BlinkMacSystemFont, "Segoe UI", "Noto Sans", Helvetica, Arial, sans-serif; fill: #1f2328; white-space: pre; }
.page { fill: #ffffff; }
@media (prefers-color-scheme: dark) {
text { fill: #f0f6fc; }
.page { fill: #0d1117; }
}`;

interface Picture {
  readonly width: number;
  readonly height: number;
  /** The text for screen readers. */
  readonly label: string;
  /** Rules of this picture alone. */
  readonly style: string;
  readonly parts: readonly string[];
}

export const svg = ({ width, height, label, style, parts }: Picture): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${xml(label)}">
<title>${xml(label)}</title>
<style>${COLOURS}${style}
</style>
<rect class="page" width="${width}" height="${height}" rx="8"/>
${parts.join("\n")}
</svg>
`;

/** The text for XML, without control characters and half surrogate pairs. Two signs of emoji fonts become one that all fonts have. */
export const xml = (text: string): string =>
  text
    .toWellFormed()
    .replace(/[\u274C\u26D4]/gu, "\u2716")
    .replace(/[\p{Cc}\uFFFE\uFFFF]/gu, " ")
    .replace(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);
