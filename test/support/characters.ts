import fc from "fast-check";

/**
 * Generates strings of any Unicode characters. fast-check's `unit: "binary"` would too, but its table takes a second
 * and 100 MB.
 */
export const anyText = (maxLength: number) =>
  fc
    .array(fc.oneof(fc.integer({ min: 0, max: 0xd7_ff }), fc.integer({ min: 0xe0_00, max: 0x10_ff_ff })), { maxLength })
    .map((codes) => String.fromCodePoint(...codes));
