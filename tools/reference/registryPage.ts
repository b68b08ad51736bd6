import { SETTINGS, type SettingRow } from "../../provider/core/config/settings";
import { sentence, withoutSections } from "./markdown";
import { publishedPrograms } from "./schema";

/** The parts of docs/_index.md that are made: the registry publishes that page, in its own dialect of Markdown. */

const tab = (language: string, text: string): string =>
  `{{% choosable language ${language} %}}\n\n${text}\n\n{{% /choosable %}}`;

/** One tab for each language: readers see the one of theirs. */
const chooser = (tabs: readonly (readonly [language: string, text: string])[]): string =>
  [
    `{{< chooser language "${tabs.map(([language]) => language).join(",")}" >}}`,
    ...tabs.map(([language, text]) => tab(language, text)),
    "{{< /chooser >}}",
  ].join("\n");

const fence = (language: string, text: string): string => `\`\`\`${language}\n${text.trimEnd()}\n\`\`\``;
const commands = (...lines: readonly string[]): string => fence("bash", lines.join("\n"));

/** The SDK is made on the user's machine, by the plugin that npm has installed: the one form for each of these languages. */
const LOCAL = commands(
  "npm install pulumi-agent-platform @pulumi/pulumi",
  "pulumi package add ./node_modules/pulumi-agent-platform/plugin",
);

export const installation = (): string =>
  chooser([
    ["typescript", commands("npm install pulumi-agent-platform @pulumi/pulumi")],
    ["python", LOCAL],
    ["go", LOCAL],
    ["yaml", LOCAL],
  ]);

export const example = (): string =>
  chooser(publishedPrograms("NumberAssignment").map(({ language, text }) => [language, fence(language, text)]));

/** In the form that the registry asks for: the bare name, whether it is required and secret, what it means, and its variable. */
export const configuration = (): string =>
  Object.entries<SettingRow>(SETTINGS)
    .map(([name, row]) => {
      const marks = [name === "baseUrl" ? "Required" : "Optional", ...(row.secret === true ? ["Secret"] : [])];
      const from = row.env === undefined ? [] : [`May also be set with the \`${row.env}\` environment variable.`];
      const fallback = row.default === undefined ? [] : [`Defaults to \`${row.default}\`.`];
      const text = [sentence(withoutSections(row.meaning)), ...from, ...fallback].join(" ");
      return `- \`${name}\` (${marks.join(", ")}): ${text}`;
    })
    .join("\n");
