/** Tables of numbers for `takeover`. */

/** A valid table that fills every column. The first two rows have the same routing, so they form a group. */
export const FILE = `number,label,agents,outbound,webhook,time routing
+442079460100,London sales,agent_front@12:90 agent_front@13:10,agent_front@12,https://hooks.example.com/in?a|b,on
+442079460101,-,agent_front@13:10 agent_front@12:90,agent_front@12,https://hooks.example.com/in?a|b,on
4001,Reception,agent_desk@3:100,agent_out@9,-,off
4002,-,-,-,-,-
`;

/** A table with labels that collide with names in the generated program, and strings that must be escaped in code. */
export const AWKWARD = [
  FILE.split("\n")[0],
  "4000,Reassert,agent_desk@3:100,agent_out@9,-,-",
  "4001,Pulumi,-,agent_out@9,-,off",
  "4002,24/7 desk,agent_split@1:100,-,-,-",
  "4003,Config,agent_config:100,-,-,-",
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the label must contain a template placeholder
  '4004,"a""; throw 1; // ${x} ` \\",agent_desk@3:100,agent_out@9,https://h.example/?a=${b}&c=\',-',
  '4005,"*/ # : - | {}",agent_front@3:100,agent_out@9,https://h.example/?a=$${b}&c=$$d$e,-',
  "4006,-,-,-,-,-",
  "4007,-,-,-,-,-",
].join("\n");
