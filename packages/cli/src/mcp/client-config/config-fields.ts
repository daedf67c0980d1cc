/** The parts of an entry in a configuration, with their places in the text. */
import type { TextSpan } from '@mandate/schemas/json-spans';

/** A text value, and its place including its quotation marks. */
export type Word = TextSpan & { value: string };

/**
 * A field. `start`: the place where it begins. In TOML, a path can stand before `key`. `value`: null if it is not text.
 */
export type Member = TextSpan & { name: string; key: TextSpan; value: Word | null };

/** A group of fields below one key, such as headers. */
export type Group = {
  /** Each place where the group is named. */
  names: readonly TextSpan[];
  /** The value with all members. Null: each member has its own line. */
  whole: TextSpan | null;
  members: readonly Member[];
  /** The text to insert between a new first member and the old first member. */
  separator: string;
};

/** The list of arguments. `memberStart`: the place where its key begins. */
export type Arguments = TextSpan & { memberStart: number; key: TextSpan; words: readonly Word[] };

export type Named = {
  name: string;
  /** The folder of the project to which the entry belongs, in a file with the servers of several projects. */
  within: string | null;
};
