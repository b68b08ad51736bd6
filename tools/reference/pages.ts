import { CALLED, type Option } from "../../cli/command";
import { COMMANDS } from "../../cli/main";
import { GUARD_KEYS } from "../../provider/config/keys";
import { BYPASS_ENV, SETTINGS, type SettingRow } from "../../provider/config/settings";
import { CODES, type Code, type CodeText, ONCE, remedyOf } from "../../provider/words/codes";
import { code, linked, list, page, sentence, withoutSections } from "./markdown";
import { resourcePages } from "./resourcePages";

/** Every page of docs/reference by its file name, each made from a table or a declaration. */

const NOTE = "<!-- Made by `npm run docs` from the comments and tables of the code. Edit those. -->";

export const referencePages = (): ReadonlyMap<string, string> =>
  new Map(
    [
      ...resourcePages(),
      ["settings.md", settingsPage()] as const,
      ["errors.md", errorsPage()] as const,
      ["commands.md", commandsPage()] as const,
    ].map(([file, text]) => [file, `${NOTE}\n${text}`]),
  );

// --- settings

function settingLine([key, row]: [string, SettingRow]): string[] {
  if (row.meaning === undefined) {
    return [];
  }
  const marks = [
    key === "baseUrl" ? "required" : "",
    row.secret === true ? "secret" : "",
    row.env === undefined ? "" : code(row.env),
    row.default === undefined ? "" : `default ${code(String(row.default))}`,
  ].filter(Boolean);
  const note = marks.length === 0 ? "" : ` (${marks.join(", ")})`;
  return [`- ${code(key)}${note}: ${sentence(withoutSections(row.meaning))}`];
}

const settingsPage = (): string =>
  page(
    "# Settings",
    "They are in the stack's config, with the namespace `agent-platform`: `pulumi config set agent-platform:baseUrl https://platform.example.com`. A variable of the environment wins over the config, except for the base URL: if both are set and differ, the run stops.",
    list([
      ...Object.entries<SettingRow>(SETTINGS).flatMap(settingLine),
      `- [Guards](../guards.md): ${GUARD_KEYS.map(code).join(", ")}.`,
    ]),
    `Write plain YAML: \`agent-platform:steps: [10, 50, 100]\`. \`${BYPASS_ENV}="<reason>"\` bypasses the guards for one run.`,
    "## What a change of a setting sends",
    list([
      "- `workspaceId`: **each chat that names no workspace is replaced. An SMS is sent, and the old chat ends.** Each such voice is added a second time, and each such number gets a PUT.",
      "- `baseUrl`: a PUT for every number, to the new platform. Voices and chats are not sent again.",
      "- `rollouts`, `weightTotal`: a PUT for each number of a rollout whose weights change.",
      "- Any other setting: nothing.",
    ]),
    "## Proxies and certificates",
    list([
      "- Set `HTTPS_PROXY`, or else `ALL_PROXY`: `http://user:password@host:port`, with special characters encoded. `NO_PROXY` lists hosts that are reached directly.",
      "- Add `127.0.0.1` to `no_proxy`: Pulumi's own SDK reads `https_proxy` too, even for its engine on this machine, and then hangs.",
      "- For your own certificate authority, set `NODE_EXTRA_CA_CERTS` in the environment of `pulumi`. Certificates are always verified.",
    ]),
  );

// --- errors

const BEFORE =
  "At preview, before anything is sent. With `--skip-preview`, resources that the run reached earlier have been applied.";

/** The way past each guard is said once, and not in each row. */
const guardsBefore = `At preview; AGP-024 at the end of \`pulumi up\`, and AGP-025 in a delete too. ${ONCE}`;

/** When a code is seen: its first digits say so. */
const GROUPS: readonly { readonly first: number; readonly title: string; readonly when: string }[] = [
  { first: 1, title: "Arguments", when: BEFORE },
  { first: 10, title: "Settings", when: "In every run; nothing is sent." },
  { first: 20, title: "Guards", when: guardsBefore },
  {
    first: 30,
    title: "Refused, or not sent",
    when: "During `up` or `destroy`. Nothing should have changed on the platform; after AGP-037 something may have.",
  },
  { first: 40, title: "Unknown outcome", when: "The request was sent, but no usable response arrived." },
  {
    first: 50,
    title: "The response",
    when: "The platform accepted the request, but its response shows something else.",
  },
  { first: 60, title: "Warnings", when: "Most of them block nothing." },
  { first: 70, title: "Groups and moves", when: "Most of them during `up`." },
  { first: 80, title: "State", when: "In every run." },
];

const groupOf = (key: Code): string | undefined =>
  GROUPS.findLast(({ first }) => Number(key.slice("AGP-".length)) >= first)?.title;

const errorsPage = (): string =>
  page(
    "# Error codes",
    '`npx pulumi-agent-platform help AGP-031` prints an entry. "Run it again" means the same command: after a failed `pulumi destroy`, another `pulumi destroy`, because `pulumi up` would add voices and start chats a second time. After a run that was killed, [look first](../runbooks/killed-run.md).',
    ...GROUPS.flatMap(({ title, when }) => {
      const codes = (Object.entries(CODES) as [Code, CodeText][]).filter(([key]) => groupOf(key) === title);
      const rows = codes.map(([key, { title, again }]) => {
        const remedy = linked(remedyOf(key).replace(ONCE, "").trim());
        return `| ${[key, title, again, remedy].join(" | ")} |`;
      });
      return [
        `## ${title}`,
        when,
        ["| Code | What happened | Run it again | What to do |", "| --- | --- | --- | --- |", ...rows].join("\n"),
      ];
    }),
  );

// --- commands

const commandsPage = (): string => {
  const commands = Object.values(COMMANDS).map((load) => load());
  const optionLines = commands.flatMap(({ options }) => Object.entries(options).map(optionLine));
  // Said once at the top, if it is the same in several commands.
  const shared = new Set(optionLines.filter((line, index) => optionLines.indexOf(line) !== index));
  return page(
    "# Commands",
    `Run them as \`${CALLED} <command>\` in the project's folder. All but \`init\`, \`report\` and \`emulator\` need \`pulumi\` on \`PATH\`. \`help <name>\` prints what a command takes, with examples, or a page; \`version\` the version. Several commands have these options:`,
    list([...shared]),
    ...commands.flatMap(({ name, summary, usage, options, exitCodes }) => {
      const lines = Object.entries(options).map(optionLine);
      const names = Object.keys(options).filter((_, index) => shared.has(lines[index] ?? ""));
      const also = names.length === 0 ? [] : [`- also ${names.map((option) => code(`--${option}`)).join(", ")}`];
      return [
        `## ${name}`,
        `${sentence(summary)} ${usage.map((form) => code(`${name} ${form}`.trimEnd())).join(" or ")}`,
        list([...lines.filter((line) => !shared.has(line)), ...also]),
        `Exit codes: ${exitCodes}`,
      ];
    }),
  );
};

function optionLine([option, { value, help }]: [string, Option]): string {
  return `- ${code(`--${option}${value === undefined ? "" : ` ${value}`}`)}: ${help}`;
}
