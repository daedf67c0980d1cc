/** What the analytics read: one of the sources of `booked`, all of which give the same answers. */
import { type Booked, booked } from './booked.ts';

export const source: Booked = booked;
