import * as pulumi from "@pulumi/pulumi";
import { AgentPlatform, NumberAssignment, split } from "pulumi-agent-platform";

const config = new pulumi.Config();

// The first account comes from the stack's settings (agent-platform:baseUrl and the token of the environment).
const main = new NumberAssignment("main-line", {
  number: "+15551230001",
  inboundAgents: split({ "agent_front@12": 100 }),
});

// The second one is explicit: it uses what it is given here, and never the token of the environment.
const second = new AgentPlatform("second-account", {
  baseUrl: config.require("secondBaseUrl"),
  accessTokenEnv: "SECOND_ACCOUNT_ACCESS_TOKEN",
  workspaceId: config.getNumber("secondWorkspaceId") ?? 43,
});

const branch = new NumberAssignment(
  "branch-line",
  { number: "+15551230002", inboundAgents: split({ "agent_branch@3": 50, "agent_branch@4": 50 }) },
  { provider: second },
);

export const numbers = [main.number, branch.number];
export const endpoints = [main.endpoint, branch.endpoint];
