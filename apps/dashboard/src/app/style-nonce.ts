/** Of this answer: without it the browser refuses the style elements that the kit adds at run time. */
export const styleNonce = (): string => document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';

// Dialogs keep the page behind them from scrolling by a style element of another library, which looks here.
Object.assign(globalThis, { __webpack_nonce__: styleNonce() });
