/** The console's logo: a hall with a saw-tooth roof. */
export const Mark = () => (
  <svg viewBox="0 0 32 32" aria-hidden="true">
    <rect width="32" height="32" rx="8" fill="#0e6f7a" />
    <path d="M7 23V12l6 4v-4l6 4V9h6v14z" fill="none" stroke="#fff" strokeWidth="2.2" strokeLinejoin="round" />
  </svg>
);
