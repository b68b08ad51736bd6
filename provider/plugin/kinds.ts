import { type Handler, handlerFor, type Opened } from "../edge/handler";
import type { ResourceKind } from "../edge/outputs";
import { communityVoice } from "../resources/communityVoice";
import { numberAssignment } from "../resources/numberAssignment";
import { numberGroup } from "../resources/numberGroup";
import { smsChat } from "../resources/smsChat";

type Handlers = Readonly<Record<ResourceKind, Handler<object>>>;

export const handlersWith = (open: () => Opened): Handlers => ({
  NumberAssignment: handlerFor(numberAssignment, open),
  NumberGroup: handlerFor(numberGroup, open),
  CommunityVoice: handlerFor(communityVoice, open),
  SmsChat: handlerFor(smsChat, open),
});

/** `urn:pulumi:dev::calls::agent-platform:index:NumberAssignment::support` */
export function kindOf(urn: string): string {
  const [, , typeOfParents = ""] = urn.split("::");
  return typeOfParents.slice(typeOfParents.lastIndexOf(":") + 1);
}
