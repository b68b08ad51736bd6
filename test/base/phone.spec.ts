import assert from "node:assert/strict";
import { describe, it } from "mocha";
import { INTERNATIONAL, invalidNumberReason, quotesHint } from "../../provider/base/phone";
import { namedIn } from "../support/named";

/**
 * Valid numbers from many countries: geographic, mobile, freephone, premium-rate, shared-cost and satellite numbers,
 * including very short and very long ones.
 */
const VALID_NUMBERS =
  "+15551234567 +12025550100 +12125551212 +18005551212 +18335550100 +19005551212 +14165550123 +16005550123 +18765550123 " +
  "+442079460101 +441204660101 +44800111111 +44500123456 +447700900123 +449098790101 +443069990123 +4930110 +493012345670 " +
  "+4915112345678 +498001234567 +49301234567890 +4313001 +43732901234 +33123456789 +33700123456 +390212345678 +3906698 " +
  "+34911234567 +318001234 +3197012345678 +3225550123 +41441234567 +468123456 +4702800 +4721234567 +4532123456 +358912345678 " +
  "+3545550123 +35312345678 +352123456 +48221234567 +911123456789 +919876543210 +9118001234567 +81312345678 +81120123456 " +
  "+8613800138000 +8695588 +864001234567 +85221234567 +6561234567 +6518001234567 +61131234 +611300123456 +6491234567 +64800123456 " +
  "+5511912345678 +525512345678 +5215512345678 +5491123456789 +27211234567 +97237654321 +971800123 +971600123456 +2348012345678 " +
  "+904441234 +74951234567 +78001234567 +77271234567 +870773123456 +881612345678 +8818123456789 +80012345678 +882161234567 " +
  "+883510001234567 +979123456789 +6834002 +29022222 +24762889 +3780549886377 +672322222 +38338123456";

const OTHER_IDENTIFIERS =
  "4001|front desk|sales/emea|100%|#12|*21#|+15551234567#12|é|१२|4E2|123456|a-1234567|5d3a8c1e-0f7b-4b62-9a55-6a1f0c2b7d90".split(
    "|",
  );

interface Row {
  readonly title: string;
  readonly inputs: readonly string[];
  /** The facts that the refusal must name (see `namedIn`), or undefined if the inputs are valid. */
  readonly facts?: string;
}

const FORMAT = namedIn(INTERNATIONAL);

const ROWS: readonly Row[] = [
  { title: "accepts numbers from many countries", inputs: VALID_NUMBERS.split(" ") },
  { title: "accepts extensions and other identifiers that are not phone numbers", inputs: OTHER_IDENTIFIERS },
  {
    title: "rejects a US number with a missing digit",
    inputs: ["+1555123456"],
    facts: "10 +1 11",
  },
  {
    title: "rejects a US number with an extra digit",
    inputs: ["+155512345678"],
    facts: "12 +1 11",
  },
  {
    title: "rejects a Russian number with an extra digit",
    inputs: ["+749512345678"],
    facts: "12 +7 11",
  },
  {
    title: "rejects invalid numbers that start with +",
    inputs: [
      ..."+500 +89045 +4401 +0123 + +15551234567, +1555123456x +15551234567# +1234567890123456#1".split(" "),
      "+1 555 123 4567",
      "+1\u200b5551234567",
      "+44 (0)20 7946 0101",
    ],
    facts: `\`+\` ${FORMAT}`,
  },
  {
    title: "rejects numbers that are not in E.164 format",
    inputs: [
      "'+15551234567",
      "tel:+15551234567",
      "p:+15551234567",
      "＋１５５５１２３４５６７",
      "１５５５１２３４５６７",
      "٤٤٢٠٧٩٤٦٠١٠١",
      "(+1) 555-123",
      "1.55512345670E+10",
      "0044 20 7946 0101",
      "15551234567.0",
      "030/123456",
    ],
    facts: FORMAT,
  },
  {
    title: "suggests quoting a number that lost its + in YAML",
    inputs: ["5551234567", "15551234567", "442079460101", "12345678"],
    facts: `${FORMAT} ${namedIn(quotesHint("5551234567"))}`,
  },
];

describe("phone number validation", () => {
  for (const { title, inputs, facts } of ROWS) {
    it(title, () => {
      for (const input of inputs) {
        const reason = invalidNumberReason(input);
        assert.equal(reason === undefined ? undefined : namedIn(reason), facts, input);
      }
    });
  }
});
