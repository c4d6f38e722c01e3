//go:build native

package main

import "podsource/protocol"

const native = true

// standIn leaves the network in its place.
func standIn(*protocol.World) {}
