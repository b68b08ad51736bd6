import * as pulumi from "@pulumi/pulumi";
import { NumberAssignment, split } from "pulumi-agent-platform";

const config = new pulumi.Config();
const percent = config.getNumber("percent") ?? 10;
const workspaceId = config.getNumber("workspaceId") ?? 42;

// Nine of ten calls go to version 12, one to version 13: one number changes from one pull request to the next.
const support = new NumberAssignment("support", {
  number: config.get("number") ?? "+15551230001",
  workspaceId,
  rollout: { stable: "agent_front@12", candidate: "agent_front@13", percent },
  outboundAgentId: "agent_callback",
  outboundAgentVersion: 4,
  inboundWebhookUrl: "https://hooks.example.com/inbound",
  isTimeRoutingEnabled: true,
  weightTotal: 100,
});

new NumberAssignment("sales", {
  number: config.get("salesNumber") ?? "+15551230002",
  workspaceId,
  inboundAgents: split({ "agent_sales@7": 100 }),
});

new NumberAssignment("billing", {
  number: config.get("billingNumber") ?? "+15551230003",
  workspaceId,
  inboundAgents: split({ "agent_billing@2": 100 }),
});

export const number = support.number;
export const inboundAgents = support.inboundAgents;
