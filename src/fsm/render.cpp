// Pictures and listings of trees and machines.
