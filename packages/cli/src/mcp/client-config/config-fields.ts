/** The parts of an entry in a configuration, with their places in the text. */
import type { TextSpan } from '@mandate/schemas/json-spans';

/** A text value, and where it is with its quotation marks. */
export type Word = TextSpan & { value: string };

/** A field. `start`: where it begins. In TOML, a path can be before `key`. `value`: null if it is no text. */
export type Member = TextSpan & { name: string; key: TextSpan; value: Word | null };

/** Fields below one key, such as headers. */
export type Group = {
  /** Each place that names the group. */
  names: readonly TextSpan[];
  /** The value with all members. Null: the members are lines of their own. */
  whole: TextSpan | null;
  members: readonly Member[];
  /** What to write between a new first member and the first member. */
  separator: string;
};

/** The list of arguments. `memberStart`: where its key begins. */
export type Arguments = TextSpan & { memberStart: number; key: TextSpan; words: readonly Word[] };

export type Named = {
  name: string;
  /** The folder of the project that the entry is for, in a file with the servers of several projects. */
  within: string | null;
};
