/**
 * RFC 3339 timestamp → ms since the epoch, or undefined. Written out: `Date.parse` also takes what is none, and turns
 * 30 February into March. Digits beyond ms are dropped; a leap second counts as the next second.
 */
export function parseRfc3339(text: string): number | undefined {
  if (text.length < 20) return undefined;
  const year = digits(text, 0, 4);
  const month = digits(text, 5, 7);
  const day = digits(text, 8, 10);
  const hour = digits(text, 11, 13);
  const minute = digits(text, 14, 16);
  const second = digits(text, 17, 19);
  const separator = text.charAt(10);
  if (year < 0 || text.charAt(4) !== '-' || text.charAt(7) !== '-' || !'Tt '.includes(separator)) return undefined;
  if (text.charAt(13) !== ':' || text.charAt(16) !== ':') return undefined;
  if (month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return undefined;
  if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 60) return undefined;
  let at = 19;
  let ms = 0;
  if (text.charAt(at) === '.') {
    const end = endOfDigits(text, at + 1);
    if (end === at + 1) return undefined;
    ms = Number(text.slice(at + 1, at + 4).replace(/\D.*$/su, '').padEnd(3, '0'));
    at = end;
  }
  const offset = offsetMinutes(text, at);
  if (offset === undefined) return undefined;
  const minutes = (daysSinceEpoch(year, month, day) * 24 + hour) * 60 + minute - offset;
  return minutes * 60_000 + second * 1_000 + ms;
}

function digits(text: string, from: number, to: number): number {
  let value = 0;
  for (let i = from; i < to; i += 1) {
    const digit = text.charCodeAt(i) - 48;
    if (!(digit >= 0 && digit <= 9)) return -1;
    value = value * 10 + digit;
  }
  return value;
}

function endOfDigits(text: string, from: number): number {
  let end = from;
  while (digits(text, end, end + 1) >= 0) end += 1;
  return end;
}

function offsetMinutes(text: string, at: number): number | undefined {
  const sign = text.charAt(at);
  if (sign === 'Z' || sign === 'z') return text.length === at + 1 ? 0 : undefined;
  if ((sign !== '+' && sign !== '-') || text.length !== at + 6 || text.charAt(at + 3) !== ':') return undefined;
  const hours = digits(text, at + 1, at + 3);
  const minutes = digits(text, at + 4, at + 6);
  if (hours < 0 || hours > 23 || minutes < 0 || minutes > 59) return undefined;
  return (sign === '-' ? -1 : 1) * (hours * 60 + minutes);
}

const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

function daysIn(year: number, month: number): number {
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return month === 2 && leap ? 29 : (DAYS[month - 1] ?? 0);
}

/** Days from 1970-01-01 in the Gregorian calendar, for years from 0 on; March is the first month of its year. */
function daysSinceEpoch(year: number, month: number, day: number): number {
  const y = month <= 2 ? year - 1 : year;
  const era = Math.floor(y / 400);
  const yearOfEra = y - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - 719_468;
}
