/** The option for the fields that a key fixes in the actions that are published with it. */
import { type Json, type KeyPins, keyPins } from '@mandate/schemas';
import { type Command, InvalidArgumentError } from 'commander';
import { WrongUse } from '../exit-codes.ts';

type Pin = { field: readonly string[]; value: Json };

export type PinOptions = { pin?: readonly Pin[] };

export function withPins(command: Command): Command {
  return command.option(
    '--pin <field=value...>',
    'fix a field of its actions: context.env=prod, principal.id=ann, principal.role=admin',
    (text: string, before: readonly Pin[] = []) => [...before, pinIn(text)],
  );
}

const PIN = /^(context\.[^.=]+|principal\.(?:id|role))=([\s\S]*)$/;

function pinIn(text: string): Pin {
  const [, field, written = ''] = PIN.exec(text) ?? [];
  if (field === undefined)
    throw new InvalidArgumentError('Give context.NAME=value, principal.id=value or principal.role=value.');
  return { field: field.split('.'), value: field.startsWith('principal') ? written : valueIn(written) };
}

/** Returns the JSON value. Returns the text itself if it is not JSON. */
function valueIn(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

export function pinsOf({ pin = [] }: PinOptions): KeyPins | undefined {
  if (pin.length === 0) return undefined;
  const of = (root: string) =>
    pin.flatMap(({ field: [first, name = ''], value }) => (first === root ? [[name, value] as const] : []));
  const [context, principal] = [of('context'), of('principal')];
  const read = keyPins.safeParse({
    ...(context.length > 0 && { context: Object.fromEntries(context) }),
    ...(principal.length > 0 && { principal: Object.fromEntries(principal) }),
  });
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw new WrongUse(`--pin: ${issue?.path.join('.')} ${issue?.message}`, 'A role goes with an id.');
}
