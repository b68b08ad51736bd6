/** Markdown, as the pages of the reference need it. */

export const code = (text: string): string => (text === "" ? "" : `\`${text}\``);

export const list = (lines: readonly string[]): string => lines.join("\n");

/** A page of its parts, each a paragraph, a heading or a list; parts that are empty are left out. */
export const page = (...parts: readonly string[]): string => `${parts.filter((part) => part !== "").join("\n\n")}\n`;

/** `npx … help stuck-delete` in running text gets a link to that runbook, from a page below docs/. */
export const linked = (text: string): string =>
  text.replace(
    /`npx pulumi-agent-platform help ((?:wrong-agents|killed-run|unresolved|stuck-delete))`/g,
    (command, name) => `[${command}](../runbooks/${name}.md)`,
  );

/** A `{@link Name}` of a doc comment reads as code. */
export const withoutLinks = (text: string): string => text.replace(/\{@link (\w+)\}/g, "`$1`");

/** For readers who do not have the platform's interface beside them. */
export const withoutSections = (text: string): string =>
  text.replace(/ \(interface [\d., ]+\)/g, "").replace(/, interface [\d.]+(?=\))/g, "");

/** A meaning of a table, as a sentence. */
export const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
