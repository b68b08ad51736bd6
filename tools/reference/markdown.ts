/** Markdown helpers for the reference. */

export const code = (text: string): string => (text === "" ? "" : `\`${text}\``);

export const list = (lines: readonly string[]): string => lines.join("\n");

/** Joins paragraphs, headings and lists into a page. Empty parts are left out. */
export const page = (...parts: readonly string[]): string => `${parts.filter((part) => part !== "").join("\n\n")}\n`;

/** Turns `npx … help stuck-delete` into a link to that runbook, for pages below docs/. */
export const linked = (text: string): string =>
  text.replace(
    /`npx pulumi-agent-platform help ((?:wrong-agents|killed-run|unresolved|stuck-delete))`/g,
    (command, name) => `[${command}](../runbooks/${name}.md)`,
  );

/** Turns `{@link Name}` into code. */
export const withoutLinks = (text: string): string => text.replace(/\{@link (\w+)\}/g, "`$1`");

/** Removes references to sections of docs/interface.md, such as `(interface 4.1)`. Only maintainers need them. */
export const withoutSections = (text: string): string =>
  text.replace(/ \(interface [\d., ]+\)/g, "").replace(/, interface [\d.]+(?=\))/g, "");

/** Turns a table's phrase into a sentence. */
export const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
