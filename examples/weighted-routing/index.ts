import * as pulumi from "@pulumi/pulumi";
import { NumberAssignment, split } from "pulumi-agent-platform";

const config = new pulumi.Config();
const workspaceId = config.getNumber("workspaceId") ?? 42;

const support = new NumberAssignment("support", {
  number: config.get("number") ?? "+15551230001",
  workspaceId,
  // The rollout is in Pulumi.dev.yaml, so each step changes only the percentage there.
  rollout: "front",
  outboundAgentId: "agent_callback",
  outboundAgentVersion: 4,
  inboundWebhookUrl: "https://hooks.example.com/inbound",
  isTimeRoutingEnabled: true,
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
