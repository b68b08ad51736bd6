import { assertAbortWritten, type Form, IN_BRACES, KEY, NOW } from "./rolloutForms";

const FORMS: readonly Form[] = [
  {
    name: "preserves comments, quotes, order and flow style in YAML config",
    stack: `# Ask the team "voice".
config:
  agent-platform:baseUrl: 'https://platform.example' # production
  ${KEY}:
    # the hotline
    front:
      stable: agent_front@12 # in use since October
      candidate: "agent_front@13"
      percent: 10 # promote edits this
    night: {stable: agent_night@4, candidate: agent_night@5, percent: 50} # all
  phones:reassert: "0" # a string
`,
    becomes: `# Ask the team "voice".
config:
  agent-platform:baseUrl: 'https://platform.example' # production
  ${KEY}:
    # the hotline
    front:
      stable: agent_front@12 # in use since October
      candidate: "agent_front@13"
      percent: 0 # promote edits this
      aborted:
        agent: agent_front@13
        at: "${NOW}"
        percent: 0
    night: {stable: agent_night@4, candidate: agent_night@5, percent: 50} # all
  phones:reassert: "0" # a string
`,
  },
  {
    name: "aborts a rollout written as JSON in the project file",
    project: `'{"front": {"stable": "agent_front@12", "candidate": "agent_front@13", "percent": 10}, "night": {"stable": "agent_n@1"}}'`,
    stack: "config:\n  phones:x: 1\n",
  },
  {
    name: "aborts a rollout without changing its YAML alias",
    stack: `config:\n  ${KEY}:\n    front: &shared ${IN_BRACES}\n    night: *shared\n`,
  },
  {
    name: "aborts a rollout written as a YAML alias without changing the original",
    stack: `config:\n  ${KEY}:\n    night: &shared ${IN_BRACES}\n    front: *shared\n`,
  },
  {
    name: "aborts a rollout that uses a YAML merge key",
    stack: `config:\n  ${KEY}:\n    base: &base { stable: agent_front@12, promote: { minSoak: 24h } }\n    front: { <<: *base, candidate: agent_front@13, percent: 10 }\n    night: { <<: *base, candidate: agent_front@13, percent: 50 }\n`,
  },
  {
    name: "aborts a rollout without breaking a YAML alias of its candidate",
    stack: `config:\n  ${KEY}:\n    front: { stable: agent_front@12, candidate: &new agent_front@13, percent: 10 }\n    night: { stable: agent_front@12, candidate: *new, percent: 10 }\n`,
  },
];

describe("abort with unusual config files", () => {
  for (const form of FORMS) {
    it(form.name, () => assertAbortWritten(form));
  }
});
