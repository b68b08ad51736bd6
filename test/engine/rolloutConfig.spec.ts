import { assertAbortWritten, type Form, IN_BRACES, KEY } from "./rolloutForms";

const FORMS: readonly Form[] = [
  {
    name: "aborts a rollout written as JSON in the stack file",
    stack: `config:\n  ${KEY}: '{"front": {"stable": "agent_front@12", "candidate": "agent_front@13", "percent": 10, "promote": {"minSoak": "24h"}}, "night-desk": {"stable": "agent_night@4", "candidate": "agent_night@5", "percent": 2.5}}'\n  phones:x: 010\n`,
  },
  {
    name: "aborts a rollout defined in the project file",
    project: `{ value: { front: ${IN_BRACES}, night: ${IN_BRACES} } }`,
  },
];

describe("abort through the Pulumi CLI", () => {
  for (const form of FORMS) {
    it(form.name, () => assertAbortWritten(form));
  }
});
