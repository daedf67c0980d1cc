/** The errors of the bus, as the real logs throw them. */
import { MandateError } from '@mandate/runtime';
import { nameOf, type Place } from './log-places.ts';

export function closed(): MandateError {
  return new MandateError('BUS_CLOSED', 'the log is closed', { remedy: 'Open it anew.' });
}

export function misused(message: string): MandateError {
  return new MandateError('BUS_MISUSED', message, { remedy: 'Correct the call.' });
}

export function fenced(group: string, place: Place): MandateError {
  const message = `${nameOf(place)} no longer belongs to this member of group ${group}`;
  return new MandateError('BUS_FENCED', message, { remedy: 'Drop what is in hand.' });
}

export function offsetLost(place: Place, offset: number): MandateError {
  const message = `${nameOf(place)} does not hold offset ${offset}`;
  return new MandateError('BUS_OFFSET_LOST', message, { remedy: 'Recover it from a backup.' });
}
