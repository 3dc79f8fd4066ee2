// SPDX-License-Identifier: Apache-2.0
// Of libraries that are there for what they need alone.
