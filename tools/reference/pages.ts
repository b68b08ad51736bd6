import { CLI, type Option } from "../../cli/command";
import { COMMANDS } from "../../cli/main";
import { GUARD_KEYS } from "../../provider/config/keys";
import { BYPASS_ENV, SETTINGS, type SettingRow } from "../../provider/config/settings";
import { BYPASS_ONCE, CODES, type Code, type CodeText, fixOf } from "../../provider/words/codes";
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
    "Settings are stored in the stack's config under the namespace `agent-platform`, for example with `pulumi config set agent-platform:baseUrl https://platform.example.com`. Environment variables take precedence over the config, except for the base URL: if the variable and the config name different platforms, the run stops (AGP-012).",
    list([
      ...Object.entries<SettingRow>(SETTINGS).flatMap(settingLine),
      `- [Guards](../guards.md): ${GUARD_KEYS.map(code).join(", ")}.`,
    ]),
    `Write lists and objects as plain YAML: \`agent-platform:steps: [10, 50, 100]\`. \`${BYPASS_ENV}="<reason>"\` bypasses the guards for one run.`,
    "## What changing a setting sends",
    list([
      "- `workspaceId`: this affects every resource that does not set its own workspace. **Each chat is replaced, which sends an SMS and ends the old chat.** Each voice is added a second time, and a PUT is sent for each number.",
      "- `baseUrl`: a PUT is sent to the new platform for every number. Voices and chats are not sent again.",
      "- `rollouts` and `weightTotal`: a PUT is sent for every number whose weights change. An abort is sent to every number of the rollout.",
      "- Any other setting: nothing is sent.",
    ]),
    "## Proxies and certificates",
    list([
      "- Set `HTTPS_PROXY` to `http://user:password@host:port`, with special characters percent-encoded. If it is not set, `ALL_PROXY` is used. `NO_PROXY` lists hosts that are contacted directly.",
      "- If you set `https_proxy`, add `127.0.0.1` to `no_proxy`. Otherwise, Pulumi's SDK hangs, because it uses `https_proxy` even for the engine on the same machine.",
      "- If you use your own certificate authority, set `NODE_EXTRA_CA_CERTS` in the environment of `pulumi`. Certificates are always verified.",
    ]),
  );

// --- errors

const BEFORE =
  "These errors appear at preview, before anything is sent. With `--skip-preview`, the resources that the run processed before the error have already been applied.";

/** How to bypass a guard is stated once instead of in every row. */
const guardsBefore = `Guards refuse changes at preview, with two exceptions: \`maxRemove\` (AGP-024) refuses removals at the end of \`pulumi up\`, and \`freeze\` (AGP-025) also refuses deletes during a run. ${BYPASS_ONCE}`;

/** The groups of error codes. Each one contains the codes from `first` to just below the next group's `first`. */
const GROUPS: readonly { readonly first: number; readonly title: string; readonly when: string }[] = [
  { first: 1, title: "Arguments", when: BEFORE },
  { first: 10, title: "Settings", when: "These errors stop a run before anything is sent." },
  { first: 20, title: "Guards", when: guardsBefore },
  {
    first: 30,
    title: "Refused, or not sent",
    when: "These errors appear during `up` or `destroy`. Nothing should have changed on the platform, with the possible exception of AGP-037.",
  },
  { first: 40, title: "Unknown outcome", when: "The request was sent, but no usable response arrived." },
  {
    first: 50,
    title: "The response",
    when: "The platform accepted the request, but the response differs from it or does not confirm it.",
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
    'To look up a single code, run for example `npx pulumi-agent-platform help AGP-031`. The column "Run it again" refers to the command that failed, without `--replace`: after a failed `pulumi destroy`, run `pulumi destroy` again, because `pulumi up` would add voices and start chats a second time. After `promote --up`, run `pulumi up`, because another `promote` may raise the percentage. If a run was killed, [check first](../runbooks/killed-run.md).',
    ...GROUPS.flatMap(({ title, when }) => {
      const codes = (Object.entries(CODES) as [Code, CodeText][]).filter(([key]) => groupOf(key) === title);
      const rows = codes.map(([key, { title, again }]) => `| ${[key, title, again, linked(fixOf(key))].join(" | ")} |`);
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
    `Run a command as \`${CLI} <command>\` in the project's folder. Every command except \`init\`, \`report\` and \`emulator\` requires \`pulumi\` on the \`PATH\`. \`help <name>\` explains a command with examples, or prints a page of the documentation. \`version\` prints the package's version. Several commands share these options:`,
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
