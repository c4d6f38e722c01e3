//go:build !native

package modern

import (
	"net/http"

	"github.com/fsnotify/fsnotify"

	"podsource/protocol"
)

const native = false

// standIn puts the world in the place of the kernel's watches and of the network.
func standIn(w *protocol.World) {
	fsnotify.Use(w)
	http.DefaultTransport = w.Network()
}
