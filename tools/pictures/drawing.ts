/** What the pictures of the docs have in common: plain SVG, light and dark, without fonts or files of elsewhere. */

export const MONO = 'ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace';
const SANS = '-apple-system, BlinkMacSystemFont, "Segoe UI", "Noto Sans", Helvetica, Arial, sans-serif';

/** The report's picture has the same colours: `cli/report/formats/svg.ts`. */
const COLOURS = `
svg { color-scheme: light dark; }
text { font-family: ${SANS}; fill: #1f2328; }
.page { fill: #ffffff; }
@media (prefers-color-scheme: dark) {
text { fill: #f0f6fc; }
.page { fill: #0d1117; }
}`;

export const xml = (text: string): string => text.replace(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);

export interface Drawing {
  readonly width: number;
  readonly height: number;
  /** What is read aloud. */
  readonly label: string;
  /** Rules of this picture alone. */
  readonly style?: string;
  readonly parts: readonly string[];
}

export function drawn({ width, height, label, style = "", parts }: Drawing): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${xml(label)}">
<title>${xml(label)}</title>
<style>${COLOURS}${style}
</style>
<rect class="page" width="${width}" height="${height}" rx="8"/>
${parts.join("\n")}
</svg>
`;
}
