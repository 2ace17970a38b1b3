/** Finds and escapes control characters and invisible characters, which can deceive a reader or control a terminal. */

/** Except tab, line feed, and carriage return before a line feed. */
const CONTROL = String.raw`[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u2028\u2029]|\r(?!\n)`;
const LINE_BREAK_OR_TAB = String.raw`[\t\n\r]`;
/** Override the direction of the text around them, which can reorder it. */
const DIRECTION = String.raw`[\u202a-\u202e\u2066-\u2069]`;
/** Direction marks that occur in ordinary Arabic and Hebrew text. */
const DIRECTION_MARK = String.raw`[\u061c\u200e\u200f]`;
/** Never visible. Variation selectors and joiners are allowed: emoji and several scripts need them. */
const INVISIBLE =
  String.raw`[\u00ad\u115f\u1160\u180e\u200b\u2060-\u2065\u206a-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb]` +
  String.raw`|[\u{e0000}-\u{e007f}]`;
/** A joiner has no effect after these scripts, so it's invisible there. */
const INVISIBLE_JOINER =
  String.raw`(?:^|[\u0000-\u007f\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}])` +
  String.raw`[\u200c\u200d]`;

const notInText = new RegExp([CONTROL, DIRECTION, INVISIBLE, INVISIBLE_JOINER].join("|"), "u");
const notInLine = new RegExp([notInText.source, LINE_BREAK_OR_TAB, DIRECTION_MARK].join("|"), "u");
/** The flags of England, Scotland and Wales are encoded with invisible characters. */
const SUBDIVISION_FLAG = /\u{1f3f4}[\u{e0030}-\u{e007a}]{3,6}\u{e007f}/gu;

/** Whether the text is one line of visible characters. For names and other values that people compare. */
export const isPlainLine = (text: string): boolean => !notInLine.test(text.replace(SUBDIVISION_FLAG, ""));

/** Like isPlainLine, but line breaks, tabs and direction marks are allowed. */
export const isPlainText = (text: string): boolean => !notInText.test(text.replace(SUBDIVISION_FLAG, ""));

const toEscape = new RegExp([CONTROL, DIRECTION, DIRECTION_MARK, INVISIBLE].join("|"), "gu");
const toEscapeInLine = new RegExp([toEscape.source, LINE_BREAK_OR_TAB].join("|"), "gu");

const escapeCharacter = (character: string) =>
  Array.from({ length: character.length }, (_, index) => {
    const unit = character.charCodeAt(index).toString(16).padStart(4, "0");
    return `\\u${unit}`;
  }).join("");

/** Escapes control and invisible characters like JSON does, so that escaped JSON keeps its value. */
export const escapeText = (text: string): string => text.replace(toEscape, escapeCharacter);

/** Like escapeText, but also escapes line breaks and tabs. */
export const escapeLine = (text: string): string => text.replace(toEscapeInLine, escapeCharacter);
