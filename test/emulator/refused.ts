/** A placeholder port that nothing listens on. Specs that start an emulator replace it with the emulator's port. */
export const RUNNING = "1";

/** Arguments that the `emulator` command rejects. Each row starts with a description for the test's title. */
export const REFUSED: readonly (readonly [description: string, ...argv: string[]])[] = [
  ["a port that is not a number", "--port", "x"],
  ["a port above 65535", "--port", "70000"],
  ["an unknown option", "--nope"],
  ["an unknown fault", "extra", "--port", RUNNING],
  ["`status` without a port", "status"],
  ["a token that is too short", "--token", "short"],
  ["`none` and a fault in the same command", "none", "503", "--port", RUNNING],
  ["`status` and `none` in the same command", "status", "none", "--port", RUNNING],
  ["switches that are not JSON", "--set", "nope=1"],
  ["an unknown switch", "--set", '{ "nope": 1 }'],
  ["an unknown value for a switch", "--set", '{ "omittedFields": "x" }'],
  ["a rate limit that is not a number", "--set", '{ "rateLimit": "ten" }'],
  ["a rate limit between 0 and 1", "--set", '{ "rateLimit": 0.5 }'],
  ["an unknown fault kind and escapes its control character", "--fault", "nope\u001b"],
  ["a `status` fault without a status code", "--fault", "status"],
  ["a fault that is malformed JSON", "--fault", "{"],
  ["a JSON fault of an unknown kind", "--fault", '{ "kind": "silence" }'],
  ["a contradict fault for the endChat operation", "--fault", "contradict:endChat"],
  ["a fault for an unknown operation", "--fault", "503:chat"],
  ["a repeat count that is not a number", "--fault", "hold::x"],
  [
    "a fault with a control character in a header",
    "--fault",
    '{ "kind": "status", "status": 503, "headers": { "X-Note": "a\\u0001" } }',
  ],
  ["a fault whose `after` value is not a number", "--fault", '{ "kind": "hold", "after": "soon" }'],
];
