import { handlerFor } from "./pulumi/handler";
import { communityVoice as voice } from "./resources/communityVoice";
import { numberAssignment as number } from "./resources/numberAssignment";
import { numberGroup as group } from "./resources/numberGroup";
import { smsChat as chat } from "./resources/smsChat";

/** What the one line in every saved state requires: these names are a contract with states of all releases. */
export const numberAssignment = handlerFor(number);
export const numberGroup = handlerFor(group);
export const communityVoice = handlerFor(voice);
export const smsChat = handlerFor(chat);
