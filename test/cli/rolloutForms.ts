import fc from "fast-check";

/** Forms in which the config of a stack may have the rollout `front`, with agent_front@13 at 10 %. Aliases and merge keys are in the mixtures. */

export const KEY = "agent-platform:rollouts";
const FRONT = ["stable: agent_front@12", "candidate: agent_front@13", "percent: 10"];
const inLines = (indent: string, ...lines: string[]) => lines.map((line) => `${indent}${line}\n`).join("");
const IN_LINES = inLines("      ", ...FRONT);
const IN_BRACES = `{ ${FRONT.join(", ")} }`;
const NIGHT = "{ stable: agent_night@4, candidate: agent_night@5, percent: 050 }";

export interface Form {
  readonly stack: string;
  /** The config of the project's file. */
  readonly project?: string;
  /** Can only Pulumi write it? */
  readonly isForPulumi?: boolean;
}

const ofAll = (text: string, before = "", after = "") => `${before}config:\n  ${KEY}:${text}${after}`;

export const FORMS: Readonly<Record<string, Form>> = {
  "beside another one whose number is in octal": { stack: ofAll(`\n    front:\n${IN_LINES}    night: ${NIGHT}\n`) },
  "that is an alias": { stack: ofAll(`\n    night: &shared ${IN_BRACES}\n    front: *shared\n`), isForPulumi: true },
  "with several merge keys": {
    stack: ofAll(
      `\n    front: { <<: [*a, *b], percent: 10 }\n`,
      "a: &a { stable: agent_front@12 }\nb: &b { candidate: agent_front@13 }\n",
    ),
  },
  "with two anchors of one name": {
    stack: ofAll(`\n    old: &a { stable: agent_old@1 }\n    front: &a ${IN_BRACES}\n    night: *a\n`),
    isForPulumi: true,
  },
  "in a config that is an alias": {
    stack: `base: &base\n  phones:x: 010\n  ${KEY}: { front: ${IN_BRACES}, night: ${NIGHT} }\nconfig: *base\n`,
    isForPulumi: true,
  },
  "in a text of JSON, as `pulumi config set` writes it": {
    stack: ofAll(
      ` '{"front": {"stable": "agent_front@12", "candidate": "agent_front@13", "percent": 10}, "night": {"stable": "it''s"}}'\n`,
    ),
    isForPulumi: true,
  },
  "in a block of JSON": {
    stack: ofAll(
      ` |\n    {"front": {"stable": "agent_front@12", "candidate": "agent_front@13",\n     "percent": 10}}\n`,
      "",
      "  phones:x: 1\n",
    ),
    isForPulumi: true,
  },
  "in one line": { stack: `config: {"${KEY}": {front: ${IN_BRACES}, night: ${NIGHT}}, phones:x: 1}\n` },
  "with quoted keys": {
    stack: `"config":\n  '${KEY}':\n    "front":\n      'stable': "agent_front@12"\n      "candidate": 'agent_front@13'\n      "percent": 10\n`,
  },
  "with explicit keys": { stack: ofAll(`\n    ? front\n    : ${IN_BRACES}\n`) },
  "with tags": {
    stack: ofAll(
      `\n    front: !!map { stable: !!str agent_front@12, candidate: agent_front@13, percent: !!int "10" }\n`,
    ),
  },
  "with tabs and comments": {
    stack: ofAll(
      `\t# all\n    # first\n    front:\t{stable:\tagent_front@12,\tcandidate: agent_front@13, # new\n      percent: 10 }\t# last\n`,
    ),
  },
  "with CRLF and a byte order mark": {
    stack: `\ufeff${ofAll(`\n    front: &f\n${IN_LINES}    night: *f\n`)}`.replaceAll("\n", "\r\n"),
    isForPulumi: true,
  },
  "in the first of two documents": { stack: `%YAML 1.1\n---\n${ofAll(`\n    front:\n${IN_LINES}`)}---\nconfig: {}\n` },
  "of the project's file, beside an empty config": {
    stack: "encryptionsalt: v1:x\nconfig:\n",
    project: `{ value: { front: ${IN_BRACES} } }`,
    isForPulumi: true,
  },
  "of the project's file as JSON, without a file of the stack": {
    stack: "",
    project: `'{"front": {"stable": "agent_front@12", "candidate": "agent_front@13", "percent": 10}}'`,
    isForPulumi: true,
  },
};

/** The parser of the command refuses this one. */
export const PULUMI_ALONE_READS: Form = {
  stack: ofAll(`\n    front: {\n    ${FRONT.join(", ")}\n    }\n    night: ${NIGHT}\n`, "", "  phones:x: 'a\nb'\n"),
  isForPulumi: true,
};

/** Any mixture of them. */
export const anyForm: fc.Arbitrary<Form> = fc
  .record({
    order: fc.shuffledSubarray(["front", "night", "day"], { minLength: 3 }),
    forms: fc.array(fc.constantFrom("lines", "braces", "alias", "merge", "agents"), { minLength: 3, maxLength: 3 }),
    outer: fc.constantFrom("own", "own", "alias", "merged", "config", "project"),
    lineEnd: fc.constantFrom("\n", "\r\n"),
    note: fc.constantFrom("", " # why"),
    quote: fc.constantFrom("", '"', "'"),
  })
  .map(({ order, forms, outer, lineEnd, note, quote }) => {
    const entry = (name: string, index: number): string => {
      const last = order[index - 1];
      // What stands for the one before, or for its agent, needs one before.
      const form = last === undefined && forms[index] !== "agents" ? "lines" : forms[index];
      const agent =
        forms[0] === "agents" && index > 0 ? "*agent" : `&agent${index} agent_front@13`.replace("agent0", "agent");
      const values: Readonly<Record<string, string>> = {
        alias: `&${name}${note}\n      <<: *${last}`,
        merge: `&${name}\n      <<: *${last}\n      percent: 10${note}`,
        agents: `&${name} { stable: agent_front@12, candidate: ${agent}, percent: 10 }${note}`,
        braces: `&${name} { stable: agent_front@12, candidate: agent_front@13, percent: 10 }${note}`,
        lines: `&${name}${note}\n${IN_LINES.replaceAll("\n", `${note}\n`).trimEnd()}`,
      };
      return `    ${quote}${name}${quote}: ${form === "alias" && index === 2 ? `*${last}` : values[form ?? "lines"]}\n`;
    };
    const entries = order.map(entry).join("");
    const below = entries.replaceAll(/^ {2}/gm, "");
    const texts: Readonly<Record<string, Form>> = {
      own: { stack: ofAll(`${note}\n${entries}`, "", "  phones:x: 010\n") },
      alias: { stack: ofAll(" *all\n", `all: &all\n${below}`) },
      merged: { stack: ofAll("\n    <<: *all\n    other: { stable: agent_x@1 }\n", `all: &all\n${below}`) },
      config: { stack: `base: &base\n  phones:x: 010\n  ${KEY}:\n${entries}config:\n  <<: *base\n  phones:y: 1\n` },
      project: {
        stack: "config:\n  phones:x: 010\n",
        project: `\n    value:\n${entries.replaceAll(/^/gm, "    ").trimEnd()}`,
      },
    };
    const { stack, project } = texts[outer] as Form;
    return { stack: stack.replaceAll("\n", lineEnd), ...(project !== undefined && { project }) };
  });
