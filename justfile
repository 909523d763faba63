# Short names for the npm scripts, for those who like just. `just ci` is what CI runs.

default:
    @just --list

# Install what is missing, build, open the window
start *arguments:
    npm start -- {{arguments}}

# Every check and test
ci:
    npm test

# Some stages of the tests only: just stage "build and lint" "rust tests"
stage *names:
    npm test -- {{names}}

# Formatting, clippy, interface checks
lint:
    npm run lint

# Write the TypeScript side of the table of operations
wire:
    npm run wire

# Compile and link for Windows, on Debian
windows *crates:
    node scripts/check-windows.js {{crates}}
