import { SETTINGS, type SettingRow } from "../../provider/core/config/settings";
import { EXAMPLES, fence } from "./examples";
import { settingLine } from "./pages";
import { HOME } from "./repository";

/** The parts of docs/_index.md that are made: the registry publishes that page, in its own dialect of Markdown. */

/** One tab for each language: readers see the one of theirs. */
const chooser = (tabs: Readonly<Record<string, string>>): string =>
  [
    `{{< chooser language "${Object.keys(tabs).join(",")}" >}}`,
    ...Object.entries(tabs).map(
      ([language, text]) => `{{% choosable language ${language} %}}\n\n${text}\n\n{{% /choosable %}}`,
    ),
    "{{< /chooser >}}",
  ].join("\n");

const INSTALL = "npm install pulumi-agent-platform @pulumi/pulumi";
/** Pulumi makes an SDK on the user's machine, of the plugin that npm has installed. */
const ADD = `${INSTALL}\npulumi package add ./node_modules/pulumi-agent-platform/plugin`;

export const installation = (): string => chooser({ typescript: fence("bash", INSTALL), yaml: fence("bash", ADD) });

export const example = (): string => {
  const { typescript, yaml } = EXAMPLES.NumberAssignment;
  return chooser({ typescript: fence("typescript", typescript), yaml: fence("yaml", yaml) });
};

/** What has to be known to begin. */
export const configuration = (): string =>
  [
    ...Object.entries<SettingRow>(SETTINGS)
      .filter(([key, row]) => key === "baseUrl" || row.secret === true || row.env !== undefined)
      .map(settingLine),
    `- [All settings, and the guards](${HOME}/blob/main/docs/reference/settings.md).`,
  ].join("\n");
