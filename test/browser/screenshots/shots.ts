/** A picture of a page, taken in both themes. */
export interface Shot {
  /** Of the file, without the theme. */
  readonly name: string;
  /** Address, or how it is found out from the service. */
  readonly path: string | ((url: string) => Promise<string>);
  /** The picture is taken once this is on the page. */
  readonly shows: string | RegExp;
  /** Default desk. */
  readonly size?: 'desk' | 'phone';
}

export const SHOTS: readonly Shot[] = [
  { name: 'overview', path: '/', shows: 'Live' },
  { name: 'overview-phone', path: '/', shows: 'Live', size: 'phone' },
];
