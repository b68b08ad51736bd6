import { abortIsWritten, type Form, IN_BRACES, KEY, NOW } from "./rolloutForms";

const FORMS: readonly Form[] = [
  {
    name: "keeps comments, quotes, order and flow style",
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
  phones:reassert: "0" # a text
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
  phones:reassert: "0" # a text
`,
  },
  {
    name: "drops nothing of a text of JSON",
    stack: `config:\n  ${KEY}: '{"front": {"stable": "agent_front@12", "candidate": "agent_front@13", "percent": 10, "promote": {"minSoak": "24h"}}, "night-desk": {"stable": "agent_night@4", "candidate": "agent_night@5", "percent": 2.5}}'\n  phones:x: 010\n`,
  },
  {
    name: "drops nothing that stands in the project's file",
    project: `{ value: { front: ${IN_BRACES}, night: ${IN_BRACES} } }`,
  },
];

describe("an abort through the Pulumi CLI", () => {
  for (const form of FORMS) {
    it(form.name, () => abortIsWritten(form));
  }
});
