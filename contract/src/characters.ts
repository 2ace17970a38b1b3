/** Characters that a reader does not see but that change what is read: a terminal obeys them, or they hide. */

/** Except tab and line feed, and the carriage return before a line feed. */
const CONTROL = String.raw`[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u2028\u2029]|\r(?!\n)`;
const LINE_BREAK_OR_TAB = String.raw`[\t\n\r]`;
/** Change the direction of the text around them, and can so change its order. */
const DIRECTION = String.raw`[\u202a-\u202e\u2066-\u2069]`;
/** Marks of direction that occur in ordinary Arabic and Hebrew sentences. */
const DIRECTION_MARK = String.raw`[\u061c\u200e\u200f]`;
/** Not shown at all. Variation selectors and joiners are: emoji and several scripts need them. */
const INVISIBLE =
  String.raw`[\u00ad\u115f\u1160\u180e\u200b\u2060-\u2065\u206a-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb]` +
  String.raw`|[\u{e0000}-\u{e007f}]`;
/** A joiner has no effect after these, so nothing of it is seen. */
const STRAY_JOINER =
  String.raw`(?:^|[\u0000-\u007f\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}])` +
  String.raw`[\u200c\u200d]`;

const notInText = new RegExp([CONTROL, DIRECTION, INVISIBLE, STRAY_JOINER].join("|"), "u");
const notInLine = new RegExp([notInText.source, LINE_BREAK_OR_TAB, DIRECTION_MARK].join("|"), "u");
/** The flags of England, Scotland and Wales are spelled with invisible letters. */
const SPELLED_FLAG = /\u{1f3f4}[\u{e0030}-\u{e007a}]{3,6}\u{e007f}/gu;

/** Whether every character of it is seen, in one line. For names and other values that people compare. */
export const isPlainLine = (text: string): boolean => !notInLine.test(text.replace(SPELLED_FLAG, ""));

/** The same for text of several lines, in which tabs and marks of direction may occur. */
export const isPlainText = (text: string): boolean => !notInText.test(text.replace(SPELLED_FLAG, ""));

const toEscape = new RegExp([CONTROL, DIRECTION, DIRECTION_MARK, INVISIBLE].join("|"), "gu");
const toEscapeInLine = new RegExp([toEscape.source, LINE_BREAK_OR_TAB].join("|"), "gu");

const escapeCharacter = (character: string) =>
  Array.from({ length: character.length }, (_, index) => {
    const unit = character.charCodeAt(index).toString(16).padStart(4, "0");
    return `\\u${unit}`;
  }).join("");

/** Makes what a terminal would obey or hide visible, as JSON writes it: JSON stays the same value. */
export const escapeText = (text: string): string => text.replace(toEscape, escapeCharacter);

/** The same for a value within a line. */
export const escapeLine = (text: string): string => text.replace(toEscapeInLine, escapeCharacter);
