import fc from "fast-check";

/**
 * Generates strings of arbitrary Unicode characters. Doesn't use fast-check's built-in `unit: "binary"`, because that
 * first builds a table of all 1,112,064 characters, which takes a second and 100 MB.
 */
export const anyText = (maxLength: number) =>
  fc
    .array(fc.oneof(fc.integer({ min: 0, max: 0xd7_ff }), fc.integer({ min: 0xe0_00, max: 0x10_ff_ff })), { maxLength })
    .map((codes) => String.fromCodePoint(...codes));
