import { CALLED } from "../../cli/command";
import { COMMANDS } from "../../cli/main";
import { BYPASS_ENV, SETTINGS, type SettingRow } from "../../provider/stack/settings";
import { CODES, type Code, type CodeText, remedyOf } from "../../provider/words/codes";

import { code, linked, list, page, sentence, table, withoutSections } from "./markdown";
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

function settingLine([key, row]: [string, SettingRow]): string {
  const marks = [
    key === "baseUrl" ? "required" : "",
    row.secret === true ? "secret" : "",
    row.env === undefined ? "" : code(row.env),
    row.default === undefined ? "" : `default ${code(String(row.default))}`,
  ].filter(Boolean);
  const note = marks.length === 0 ? "" : ` (${marks.join(", ")})`;
  return `- ${code(key)}${note}: ${sentence(withoutSections(row.meaning))}`;
}

const settingsPage = (): string =>
  page(
    "# Settings",
    "Of the stack's config, with the namespace `agent-platform`: `pulumi config set agent-platform:baseUrl https://platform.example.com`. A variable of the environment wins over the config, except for the base URL: if both are set and differ, the run stops.",
    list(Object.entries<SettingRow>(SETTINGS).map(settingLine)),
    list([
      "- Write plain YAML: `agent-platform:steps: [10, 50, 100]`, `agent-platform:requireVersions: true`.",
      "- A preview sends nothing and needs no token.",
      `- \`${BYPASS_ENV}="<reason>"\` bypasses the [guards](../guards.md) for one run.`,
    ]),
    "## Proxies and certificates",
    list([
      "- Requests go through the proxy of `HTTPS_PROXY`, or else `ALL_PROXY`: `http://user:password@host:port`, with special characters encoded. `NO_PROXY` lists hosts that are reached directly.",
      "- Pulumi's own SDK reads `https_proxy` too, even for its engine on this machine, and then hangs: add `127.0.0.1` to `no_proxy`.",
      "- For your own certificate authority, set `NODE_EXTRA_CA_CERTS` in the environment of `pulumi`. Certificates are always verified.",
    ]),
  );

// --- errors

const BEFORE =
  "At preview, before anything is sent. With `--skip-preview`, what the engine came to earlier in the run is applied.";

/** When a code is seen: its first digits say so. */
const GROUPS: readonly { readonly first: number; readonly title: string; readonly when: string }[] = [
  { first: 1, title: "Arguments", when: BEFORE },
  { first: 10, title: "Settings", when: "In every run; nothing is sent." },
  { first: 20, title: "Guards", when: BEFORE },
  {
    first: 30,
    title: "Refused, or not sent",
    when: "During `up` or `destroy`. We assume that the platform has not changed.",
  },
  { first: 40, title: "Unknown outcome", when: "The request was sent, and no usable response arrived." },
  { first: 50, title: "The response", when: "The platform accepted the request, and its response differs from it." },
  { first: 60, title: "Warnings", when: "Most block nothing." },
  { first: 70, title: "Groups and moves", when: "Most during `up`." },
  { first: 80, title: "State", when: "In every run." },
];

const groupOf = (key: Code): string | undefined =>
  GROUPS.findLast(({ first }) => Number(key.slice("AGP-".length)) >= first)?.title;

const errorsPage = (): string =>
  page(
    "# Error codes",
    "`npx pulumi-agent-platform help AGP-031` prints an entry. What may be sent twice waits for you: a voice or a chat of unknown outcome is never sent again by itself.",
    ...GROUPS.flatMap(({ title, when }) => [
      `## ${title}`,
      when,
      table(
        ["Code", "What happened", "Run it again?", "Do"],
        (Object.entries(CODES) as [Code, CodeText][])
          .filter(([key]) => groupOf(key) === title)
          .map(([key, text]) => [
            `<a id="${key.toLowerCase()}"></a>**${key}**`,
            text.title,
            text.again,
            linked(remedyOf(key)),
          ]),
      ),
    ]),
  );

// --- commands

const commandsPage = (): string =>
  page(
    "# Commands",
    `Run them as \`${CALLED} <command>\` in the project's folder; they need \`pulumi\` on \`PATH\`. \`--help\` prints more. Exit code 2 means wrong arguments, in each of them.`,
    ...Object.values(COMMANDS).flatMap((load) => {
      const { name, summary, usage, options, exitCodes } = load();
      return [
        `## ${name}`,
        `${sentence(summary)} ${usage.map((form) => code(`${name} ${form}`.trimEnd())).join(" or ")}`,
        list(
          Object.entries(options).map(
            ([option, { value, help }]) => `- ${code(`--${option}${value === undefined ? "" : ` ${value}`}`)}: ${help}`,
          ),
        ),
        `Exit codes: ${exitCodes}`,
      ];
    }),
  );
