import { CODES, type Code, type CodeText } from "../../provider/core/codes";
import { type Row, SETTINGS } from "../../provider/core/settings";
import { code, linked, page, table } from "./markdown";

/** The pages that are made of the tables of the core: settings and error codes. */

const settings = Object.entries(SETTINGS) as [string, Row][];

export const settingRows = (): string[][] =>
  settings.map(([key, row]) => [
    code(key),
    row.env === undefined ? "" : code(row.env),
    row.default === undefined ? "none" : code(String(row.default)),
    row.secret === true ? "yes" : "",
    row.meaning,
  ]);

export function settingsPage(): string {
  return page(
    "# Settings",
    "Settings of a stack have the namespace `agent-platform`; `baseUrl` is the only one that must be there.",
    "```sh\npulumi config set agent-platform:baseUrl https://platform.example.com\npulumi config set --secret agent-platform:accessToken\n```",
    table(["Key", "Environment", "Default", "Secret", "Meaning"], settingRows()),
    [
      "- The token of the environment wins over the one of the stack's config, which refresh and destroy may know in an older form only.",
      "- The base URL of the environment counts only where the config has none. Both set and different is an error (AGP-012).",
      "- Every other variable of the environment wins over the config.",
      "- A preview sends nothing and needs no token.",
      "- An explicit provider ([AgentPlatform](agent-platform.md)) uses what it is given and takes nothing from the environment.",
      "- A program may make `weightTotal` and `maxShift` tighter than the stack, never looser.",
      "- Numbers, `true` and `false`, and lists are written as JSON in the stack's config: `'[\"agent_front@12\"]'`.",
      "- `approvedAgents` may name a file, relative to the program's folder: one agent a line, plain or as a YAML list, `#` starts a comment.",
      "- `AGENT_PLATFORM_OVERRIDE` with a reason opens the guards for one run. It is printed with its reason (AGP-068). See the [guide of guards](../guides/guards.md).",
    ].join("\n"),
  );
}

/** When a code is seen: its first digits say so. */
const GROUPS: readonly { readonly first: number; readonly title: string; readonly when: string }[] = [
  { first: 1, title: "Arguments", when: "At preview. Nothing is sent." },
  { first: 10, title: "Settings", when: "At every call, until the setting is mended. Nothing is sent." },
  {
    first: 20,
    title: "Guards",
    when: "At preview, before anything is sent. [What each one does](../guides/guards.md).",
  },
  { first: 30, title: "Refused, or not sent", when: "During `up` or `destroy`. The platform is as it was." },
  {
    first: 40,
    title: "Unknown outcome",
    when: "The request left and no usable answer came. Nobody can know from here.",
  },
  { first: 50, title: "The answer", when: "The platform took the request, and its answer is not what was asked for." },
  { first: 60, title: "Told", when: "Warnings, except AGP-060 at a delete, which is an error." },
  { first: 70, title: "Groups", when: "During `up`; AGP-072 is a line of the preview." },
  { first: 80, title: "State", when: "At every call, until the state is mended." },
];

export const groupOf = (key: Code): string | undefined =>
  GROUPS.findLast(({ first }) => Number(key.slice("AGP-".length)) >= first)?.title;

const meaningOf = ({ title, meaning }: CodeText): string => (meaning === undefined ? title : `${title}: ${meaning}`);

export function errorsPage(): string {
  const rows = Object.entries(CODES) as [Code, CodeText][];
  return page(
    "# Error codes",
    "Every message begins with its code. A code never changes its meaning; the words of a message may.",
    ...GROUPS.flatMap(({ title, when }) => [
      `## ${title}`,
      when,
      table(
        ["Code", "What it means", "What to do"],
        rows
          .filter(([key]) => groupOf(key) === title)
          .map(([key, text]) => [`<a id="${key.toLowerCase()}"></a>${key}`, meaningOf(text), linked(text.remedy)]),
      ),
    ]),
  );
}
