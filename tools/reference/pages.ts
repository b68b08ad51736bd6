import { CLI, type Option } from "../../cli/command";
import { COMMANDS } from "../../cli/main";
import { GUARD_KEYS } from "../../provider/config/keys";
import { BYPASS_ENV, SETTINGS, type SettingRow } from "../../provider/config/settings";
import { BYPASS_ONCE, CODES, type Code, type CodeText, remedyOf } from "../../provider/words/codes";
import { code, linked, list, page, sentence, withoutSections } from "./markdown";
import { resourcePages } from "./resourcePages";

/** Makes every page of docs/reference from a table or a declaration. */

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
    "Settings are in the stack's config, in the namespace `agent-platform`: `pulumi config set agent-platform:baseUrl https://platform.example.com`. A value in an environment variable takes precedence over the config. The base URL is an exception: if the variable and the config name different platforms, the run stops (AGP-012).",
    list([
      ...Object.entries<SettingRow>(SETTINGS).flatMap(settingLine),
      `- [Guards](../guards.md): ${GUARD_KEYS.map(code).join(", ")}.`,
    ]),
    `Lists and objects are plain YAML: \`agent-platform:steps: [10, 50, 100]\`. \`${BYPASS_ENV}="<reason>"\` bypasses the guards for one run.`,
    "## What changing a setting sends",
    list([
      "- `workspaceId`: **every chat without its own workspace is replaced, which sends an SMS and ends the old chat.** Every voice without its own workspace is added again, and every number without its own workspace gets a PUT.",
      "- `baseUrl`: the new platform gets a PUT for every number. Voices and chats are not sent again.",
      "- `rollouts`, `weightTotal`: every number in a rollout whose weights change gets a PUT.",
      "- Any other setting: nothing is sent.",
    ]),
    "## Proxies and certificates",
    list([
      "- Set `HTTPS_PROXY` (or `ALL_PROXY`, if that is not set) to `http://user:password@host:port`, with special characters percent-encoded. `NO_PROXY` lists hosts that are contacted directly.",
      "- If you set `https_proxy`, add `127.0.0.1` to `no_proxy`. Otherwise, Pulumi's SDK hangs, because it uses `https_proxy` even for the engine on the same machine.",
      "- If you use your own certificate authority, set `NODE_EXTRA_CA_CERTS` in the environment of `pulumi`. Certificates are always verified.",
    ]),
  );

// --- errors

const BEFORE =
  "These errors appear at preview, before anything is sent. With `--skip-preview`, the resources that the run reached before the error have already been applied.";

/** How to bypass a guard is stated once instead of in every row. */
const guardsBefore = `A guard refuses a change at preview. There are two exceptions: \`maxRemove\` (AGP-024) refuses removals at the end of \`pulumi up\`, and \`freeze\` (AGP-025) also refuses deletes during a run. ${BYPASS_ONCE}`;

/** When each group of codes occurs. The digits of a code decide its group. */
const GROUPS: readonly { readonly first: number; readonly title: string; readonly when: string }[] = [
  { first: 1, title: "Arguments", when: BEFORE },
  { first: 10, title: "Settings", when: "These errors stop a run before anything is sent." },
  { first: 20, title: "Guards", when: guardsBefore },
  {
    first: 30,
    title: "Refused, or not sent",
    when: "These errors appear during `up` or `destroy`. Nothing should have changed on the platform, except perhaps after AGP-037.",
  },
  { first: 40, title: "Unknown outcome", when: "The request was sent, but no usable response arrived." },
  {
    first: 50,
    title: "The response",
    when: "The platform accepted the request, but its response shows something else.",
  },
  { first: 60, title: "Warnings", when: "Most of these warnings do not stop a run." },
  { first: 70, title: "Groups and moves", when: "Most of these messages appear during `up`." },
  { first: 80, title: "State", when: "This error appears in every run until the state is repaired." },
];

const groupOf = (key: Code): string | undefined =>
  GROUPS.findLast(({ first }) => Number(key.slice("AGP-".length)) >= first)?.title;

const errorsPage = (): string =>
  page(
    "# Error codes",
    'To print the entry of a code, run for example `npx pulumi-agent-platform help AGP-031`. "Run it again" means the same command: after a failed `pulumi destroy`, run `pulumi destroy` again, because `pulumi up` would add voices and start chats a second time. After a run that was killed, [look first](../runbooks/killed-run.md).',
    ...GROUPS.flatMap(({ title, when }) => {
      const codes = (Object.entries(CODES) as [Code, CodeText][]).filter(([key]) => groupOf(key) === title);
      const rows = codes.map(([key, { title, again }]) => {
        const remedy = linked(remedyOf(key).replace(BYPASS_ONCE, "").trim());
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
  // List options that several commands share once, at the top.
  const shared = new Set(optionLines.filter((line, index) => optionLines.indexOf(line) !== index));
  return page(
    "# Commands",
    `Run a command as \`${CLI} <command>\` in the project's folder. Every command except \`init\`, \`report\` and \`emulator\` needs \`pulumi\` on \`PATH\`. \`help <name>\` explains a command, with examples, or prints a page of the documentation. \`version\` prints the package's version. Several commands share these options:`,
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
