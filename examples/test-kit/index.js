const pulumi = require("@pulumi/pulumi");
const { NumberAssignment, NumberGroup, split } = require("pulumi-agent-platform");

const percent = new pulumi.Config().getNumber("percent") ?? 10;

const support = new NumberGroup("support", {
  numbers: { "+15551230001": "London", "+15551230002": "Berlin" },
  rollout: { stable: "agent_front@12", candidate: "agent_front@13", percent },
  weightTotal: 100,
});

const night = new NumberAssignment("night", {
  number: "+15551230003",
  inboundAgents: split({ "agent_night@4": 100 }),
  weightTotal: 100,
});

exports.support = support.inboundAgents;
exports.night = night.inboundAgents;
